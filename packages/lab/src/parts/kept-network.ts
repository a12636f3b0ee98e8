// A network that a page has trained, kept for the visit.
export interface KeptNetwork {
  /** The network that this visit has trained, if it has. */
  readonly kept: () => File | undefined;
  readonly keep: (bytes: Uint8Array) => File;
}

/** Under a key of its own in the visit's storage. */
export function keptNetwork(key: string, name: string): KeptNetwork {
  let file: File | undefined;
  const fileOf = (bytes: Uint8Array): File =>
    new File([bytes as BlobPart], name, { type: "application/octet-stream" });
  return {
    kept() {
      if (file) return file;
      try {
        const text = sessionStorage.getItem(key);
        if (text) file = fileOf(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
      } catch {
        // no storage, or something else in it: it is trained anew
      }
      return file;
    },
    keep(bytes) {
      file = fileOf(bytes);
      try {
        let text = "";
        for (const byte of bytes) text += String.fromCharCode(byte);
        sessionStorage.setItem(key, btoa(text));
      } catch {
        // it lasts until the page is loaded again
      }
      return file;
    },
  };
}
