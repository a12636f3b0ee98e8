const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  return remainder >>> 0;
});

/** The CRC-32 of ZIP and gzip. `crc32(new TextEncoder().encode("123456789"))` is 0xcbf43926. */
export function crc32(bytes: Uint8Array): number {
  let remainder = 0xffffffff;
  for (let k = 0; k < bytes.length; k++)
    remainder = (remainder >>> 8) ^ table[(remainder ^ bytes[k]!) & 255]!;
  return (remainder ^ 0xffffffff) >>> 0;
}
