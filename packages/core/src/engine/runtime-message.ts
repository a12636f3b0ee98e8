// What ONNX Runtime says is wrong, without its C++: which node, and why.

/** What the runtime puts around a message: error codes, stages, source places. */
const wrappings: readonly (readonly [RegExp, string])[] = [
  [/^.*?Error code - \S+ - message: /s, ""],
  [/\s+/g, " "],
  [/\[ONNXRuntimeError\] : \d+ : \w+ : /g, ""],
  [/^(This is an invalid model\. |Exception during initialization: |Fatal error: )+/, ""],
  [/^Failed to load model (with|because) (error: )?/, ""],
  [/^In Node, \("(.*?)", (.*?), "(.*?)", -1\) : .*? , Error /, '$2 node "$1": '],
  [/^Non-zero status code returned while running (.*?) node\. Name:'(.*?)' Status Message: /, '$1 node "$2": '],
  [/^Node \((.*?)\) Op \((.*?)\) \[\w+\] /, '$2 node "$1": '],
  [/\S+\.(cc|cpp|cu|h|hpp):\d+ /g, ""],
];

/** `virtual OrtValue* onnxruntime::OpKernelContext::OutputMLValue(int, const TensorShape&) const [with T = int] ` */
const signature =
  /(?:[\w:<>,*&~ ]+ )?[\w~]+(?:::|<)[\w:<>, ~]*\((?:[^()]|\([^()]*\))*\)(?: const)?(?: \[with [^\]]*\])? /;

/**
 * The runtime's message in one line of at most 400 characters.
 * @example runtimeMessage(new Error("Node (a) Op (Tile) [ShapeInferenceError] bad")) // 'Tile node "a": bad'
 */
export function runtimeMessage(cause: unknown): string {
  let text = cause instanceof Error ? cause.message : String(cause);
  if (text.length > 20_000) text = `${text.slice(0, 10_000)} ... ${text.slice(-10_000)}`;
  for (const [pattern, plain] of wrappings) text = text.replace(pattern, plain);
  text = text
    .replace(signature, "")
    .replace(/^(.* node ".*?": )?(\w+ )?.*? was false\. (?=\S)/, "$1")
    .replace(/ scopes?: .*$/, "")
    .trim();
  return text.length > 400 ? `${text.slice(0, 250)} ... ${text.slice(-145)}` : text;
}
