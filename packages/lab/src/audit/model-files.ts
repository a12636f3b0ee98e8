// Models as a visitor drops them: .onnx files, and beside them the files that hold their weights.

export interface ModelFiles {
  readonly model: File;
  /** Files that the model may keep weights in. */
  readonly weights: readonly File[];
}

const isModel = ({ name }: File): boolean => /\.onnx$/i.test(name);

/** Every .onnx file with all the others; a lone file is taken for a model whatever its name. */
export function modelFiles(files: readonly File[]): readonly ModelFiles[] {
  const models = files.filter(isModel);
  const weights = files.filter((file) => !isModel(file));
  if (models.length === 0) return weights.slice(0, 1).map((model) => ({ model, weights: [] }));
  return models.map((model) => ({ model, weights }));
}
