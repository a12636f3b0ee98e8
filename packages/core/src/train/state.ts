// Names of the tensors that a training run carries from step to step.
export const weightKey = (name: string): string => `weight/${name}`;
export const slotKey = (name: string, k: number): string => `slot${k + 1}/${name}`;
/** Ones where a weight is learned, zeros where there is no connection. */
export const maskKey = (name: string): string => `mask/${name}`;
export const averageKey = (name: string): string => `average/${name}`;
