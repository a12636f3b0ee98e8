// What ONNX Runtime says is wrong, without its C++: which node, and why.

/** What the runtime puts around a message: error codes, stages, places in its source. */
const wrappings: readonly (readonly [RegExp, string])[] = [
  [/^.*?Error code - \S+ - message: /, ""],
  [/\[ONNXRuntimeError\] : \d+ : \w+ : /g, ""],
  [/\S+\.(cc|cpp|cu|h|hpp):\d+ /g, ""],
  [/^(This is an invalid model\. |Exception during initialization: |Fatal error: )+/, ""],
  [/^Failed to load model (with error: |because )/, ""],
  [
    /^Could not find an implementation for (\w+)\(\d+\) node with name '(.*?)'.*$/,
    "Node ($2) Op ($1) [NotImplemented] the runtime has no kernel for this opset and element type",
  ],
];

/** The ways in which it names the node, and where in them are the operator and the name. */
const nodePatterns: readonly (readonly [RegExp, operator: number, name: number])[] = [
  [/^In Node, \("(.*?)", (.*?), ".*?", -1\) : .* , Error /, 2, 1],
  [/^Non-zero status code returned while running (.*?) node\. Name:'(.*?)' Status Message: /, 1, 2],
  [/^Node \((.*?)\) Op \((.*?)\) \[\w+\] /, 2, 1],
];

/** `virtual OrtValue* onnxruntime::OpKernelContext::OutputMLValue(int, const TensorShape&) const [with T = int] ` */
const signature =
  /^(?:[\w:<>,*&~ ]+ )?[\w~]+(?:::|<)[\w:<>, ~]*\((?:[^()]|\([^()]*\))*\)(?: const)?(?: \[with [^\]]*\])? /;
/** `index >= 0 was false. ` before the explanation. */
const condition = /^.{0,200}? was false\. (?=\S)/;

/** Before anything is looked for: patterns are slow on a message that quotes a name of a million letters. */
const longest = 1500;
const longestShown = 400;

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, 0.7 * length)} ... ${text.slice(-0.3 * length)}` : text;

/**
 * The runtime's message in one short line.
 * @example runtimeMessage(new Error("Node (a) Op (Tile) [ShapeInferenceError] bad")) // 'Tile node "a": bad'
 */
export function runtimeMessage(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause);
  let text = shorten(said, longest).replace(/\s+/g, " ");
  for (const [pattern, plain] of wrappings) text = text.replace(pattern, plain);
  let node = "";
  for (const [pattern, operator, name] of nodePatterns) {
    const found = pattern.exec(text);
    if (!found) continue;
    node = `${found[operator]} node "${found[name]}": `;
    text = text.slice(found[0].length);
  }
  const reason = text.replace(signature, "").replace(condition, "").trim();
  return shorten(node + reason, longestShown);
}
