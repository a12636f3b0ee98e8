/**
 * What a table has under a name from a file, which may be one that every object has ("constructor", "__proto__").
 * @example ownEntry({ Relu: 1 }, "constructor") // undefined
 */
export const ownEntry = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
