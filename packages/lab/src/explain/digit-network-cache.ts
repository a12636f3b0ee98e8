// The network of the digits, trained once a visit.
const key = "lemmata-digit-network-1";

const fileOf = (bytes: Uint8Array): File =>
  new File([bytes as BlobPart], "digits.onnx", { type: "application/octet-stream" });

let kept: File | undefined;

/** The network that this visit has trained, if it has. */
export function keptNetwork(): File | undefined {
  if (kept) return kept;
  try {
    const text = sessionStorage.getItem(key);
    if (text) kept = fileOf(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  } catch {
    // no storage, or something else in it: it is trained anew
  }
  return kept;
}

export function keepNetwork(bytes: Uint8Array): File {
  kept = fileOf(bytes);
  try {
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    sessionStorage.setItem(key, btoa(text));
  } catch {
    // it lasts until the page is loaded again
  }
  return kept;
}
