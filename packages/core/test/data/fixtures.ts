// Small files that NumPy 2.4 wrote, in base64.
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

export const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content);

/** An .npy file with any header and body. */
export const npyFile = (
  header: string,
  body: readonly number[] = [],
  version = 1,
): Uint8Array<ArrayBuffer> => {
  const length =
    version === 1
      ? [header.length & 255, header.length >> 8]
      : [header.length & 255, header.length >> 8, 0, 0];
  return Uint8Array.from([0x93, ...text("NUMPY"), version, 0, ...length, ...text(header), ...body]);
};

/** `np.array([[1.5, -2], [nan, inf]])` */
export const float64 = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGY4JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsIDIpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAD4PwAAAAAAAADAAAAAAAAA+H8AAAAAAADwfw==",
);
/** `np.arange(6).astype(">i4").reshape(2, 3)` */
export const bigEndian = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPmk0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsIDMpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAAAAQAAAAIAAAADAAAABAAAAAU=",
);
/** `np.asfortranarray(np.arange(24, dtype="<f4").reshape(2, 3, 4))` */
export const fortran = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGY0JywgJ2ZvcnRyYW5fb3JkZXInOiBUcnVlLCAnc2hhcGUnOiAoMiwgMywgNCksIH0gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAABAQQAAgEAAAIBBAAAAQQAAoEEAAIA/AABQQQAAoEAAAIhBAAAQQQAAqEEAAABAAABgQQAAwEAAAJBBAAAgQQAAsEEAAEBAAABwQQAA4EAAAJhBAAAwQQAAuEE=",
);
/** `np.array([1, 0.5, -65504], dtype="<f2")` */
export const half = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGYyJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDMsKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAPAA4//s=",
);
/** `np.array([True, False])` */
export const boolean = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnfGIxJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoBAA==",
);
/** `np.array(-2**62)` */
export const scalar = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGk4JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKCksIH0gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAAAwA==",
);
/** `np.array([1, 2], dtype="u2"), version 2.0` */
export const version2 = fromBase64(
  "k05VTVBZAgB0AAAAeydkZXNjcic6ICc8dTInLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoMiwpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoBAAIA",
);
/** `np.array([1, 2], dtype=">u8"), version 3.0` */
export const version3 = fromBase64(
  "k05VTVBZAwB0AAAAeydkZXNjcic6ICc+dTgnLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoMiwpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAAAAQAAAAAAAAAC",
);
/** `np.zeros((0, 3))` */
export const empty = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGY4JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDAsIDMpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAo=",
);
/** `np.array([1j])` */
export const complex = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGMxNicsICdmb3J0cmFuX29yZGVyJzogRmFsc2UsICdzaGFwZSc6ICgxLCksIH0gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAAAAAAAAAAAAPA/",
);
/** `np.array(["a", "bc"])` */
export const strings = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPFUyJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAphAAAAAAAAAGIAAABjAAAA",
);
/** `np.zeros(1, dtype=[("a", "f4"), ("b", "i4")])` */
export const structured = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiBbKCdhJywgJzxmNCcpLCAoJ2InLCAnPGk0JyldLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoMSwpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAAAAA==",
);
/** `np.array([{}], dtype=object)` */
export const objects = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnfE8nLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoMSwpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAqABJWLAAAAAAAAAIwWbnVtcHkuX2NvcmUubXVsdGlhcnJheZSMDF9yZWNvbnN0cnVjdJSTlIwFbnVtcHmUjAduZGFycmF5lJOUSwCFlEMBYpSHlFKUKEsBSwGFlGgDjAVkdHlwZZSTlIwCTziUiYiHlFKUKEsDjAF8lE5OTkr/////Sv////9LP3SUYoldlH2UYXSUYi4=",
);
/** `np.array(["2020-01-01"], dtype="M8[D]")` */
export const dates = fromBase64(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPE04W0RdJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDEsKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIApWRwAAAAAAAA==",
);
/** `np.savez(x=np.arange(3, dtype="f4"), y=np.eye(2))` */
export const savez = fromBase64(
  "UEsDBC0AAAAAAAAAIQC2jIZT//////////8FABQAeC5ucHkBABAAjAAAAAAAAACMAAAAAAAAAJNOVU1QWQEAdgB7J2Rlc2NyJzogJzxmNCcsICdmb3J0cmFuX29yZGVyJzogRmFsc2UsICdzaGFwZSc6ICgzLCksIH0gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAKAAAAAAAAgD8AAABAUEsDBC0AAAAAAAAAIQBnjExn//////////8FABQAeS5ucHkBABAAoAAAAAAAAACgAAAAAAAAAJNOVU1QWQEAdgB7J2Rlc2NyJzogJzxmOCcsICdmb3J0cmFuX29yZGVyJzogRmFsc2UsICdzaGFwZSc6ICgyLCAyKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAKAAAAAAAA8D8AAAAAAAAAAAAAAAAAAAAAAAAAAAAA8D9QSwECLQMtAAAAAAAAACEAtoyGU4wAAACMAAAABQAAAAAAAAAAAAAAgAEAAAAAeC5ucHlQSwECLQMtAAAAAAAAACEAZ4xMZ6AAAACgAAAABQAAAAAAAAAAAAAAgAHDAAAAeS5ucHlQSwUGAAAAAAIAAgBmAAAAmgEAAAAA",
);
/** `np.savez_compressed(x=np.arange(3, dtype="f4"), zeros=np.zeros(1000))` */
export const savezCompressed = fromBase64(
  "UEsDBC0AAAAIAAAAIQC2jIZT//////////8FABQAeC5ucHkBABAAjAAAAAAAAABLAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxcpG6loG6TZqKuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GsY6mjoKtQoUAC4GMGiwBxIOAFBLAwQtAAAACAAAACEAQlcSX///////////CQAUAHplcm9zLm5weQEAEADAHwAAAAAAAGoAAAAAAAAA7cghDsIwGEDhYjlF3Q9JRecIQc9twSCmloa2QSwraQlm4RS78MoVpt/n3lv7R3cfDuqrFvGhPLNctdziRYyWmPInu3lM2Yf/b91UQv3l5d6h9qmx1pqz0T+911EBAAAAAAAAAAAAAAC1AVBLAQItAy0AAAAIAAAAIQC2jIZTSwAAAIwAAAAFAAAAAAAAAAAAAACAAQAAAAB4Lm5weVBLAQItAy0AAAAIAAAAIQBCVxJfagAAAMAfAAAJAAAAAAAAAAAAAACAAYIAAAB6ZXJvcy5ucHlQSwUGAAAAAAIAAgBqAAAAJwEAAAAA",
);
