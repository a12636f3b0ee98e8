export { type CsvOptions, readCsv, type Table, writeCsv } from "./csv.ts";
export { type CsvRecord, csvRecords, type Delimiter } from "./csv-records.ts";
export { DataError } from "./error.ts";
export { decodeData, encodeData, type Tensors } from "./format.ts";
export { readIdx } from "./idx.ts";
export { type JsonTensor, tensorFromJson, tensorsFromJson, tensorsToJson, tensorToJson } from "./json.ts";
export { npyHeader, readNpy, writeNpy } from "./npy.ts";
export { readNpz, writeNpz } from "./npz.ts";
export type { ReadOptions } from "./options.ts";
