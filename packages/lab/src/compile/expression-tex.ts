// A formula as LaTeX, from its expression: what the page understood, not what was typed.
import type { Expression } from "@lemmata/core/formula";

type Of<K extends Expression["kind"]> = Expression & { readonly kind: K };

const greek = new Set(
  `alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega`.split(
    " ",
  ),
);
/** Functions that LaTeX knows, by our names. */
const known: Readonly<Record<string, string>> = {
  ...Object.fromEntries("log sin cos tan sinh cosh tanh max min".split(" ").map((f) => [f, `\\${f}`])),
  ...{ asin: "\\arcsin", acos: "\\arccos", atan: "\\arctan" },
};

const letters = (name: string): string =>
  greek.has(name) ? `\\${name}` : name.length === 1 ? name : `\\mathit{${name}}`;

/** `x12` and `x_1` have an index. */
function nameTex(name: string): string {
  const [, base = name, index] = /^(.*?)_?(\p{N}+|(?<=_)[^_]+)$/u.exec(name) ?? [];
  const plain = letters(base.replaceAll("_", "\\_"));
  return index === undefined || base === "" ? letters(name.replaceAll("_", "\\_")) : `${plain}_{${index}}`;
}

function numberTex(value: number): string {
  const [digits, exponent] = String(value).split("e");
  if (exponent === undefined) return digits!;
  const power = `10^{${Number(exponent)}}`;
  return digits === "1" ? power : `${digits} \\cdot ${power}`;
}

const brackets = (tex: string): string => `\\left(${tex}\\right)`;
const list = (args: readonly Expression[]): string => args.map(expressionTex).join(", ");

function sumTex({ terms }: Of<"sum">): string {
  return terms
    .map(({ negative, of }, k) => {
      const tex = of.kind === "sum" ? brackets(expressionTex(of)) : expressionTex(of);
      return `${negative ? "-" : k === 0 ? "" : "+"} ${tex}`;
    })
    .join(" ");
}

/** Factors side by side; a dot where two numbers would run together. */
function factorsTex(factors: Of<"product">["factors"]): string {
  if (factors.length === 0) return "1";
  if (factors.length === 1) return expressionTex(factors[0]!.of);
  return factors.reduce((before, { of, elementwise }, k) => {
    const tex = of.kind === "sum" ? brackets(expressionTex(of)) : expressionTex(of);
    if (k === 0) return tex;
    const sign = elementwise ? "\\odot" : /^[\d.]/.test(tex) ? "\\cdot" : "\\,";
    return `${before} ${sign} ${tex}`;
  }, "");
}

function productTex({ factors }: Of<"product">): string {
  const below = factors.filter((f) => f.inverse);
  const above = factorsTex(factors.filter((f) => !f.inverse));
  return below.length === 0 ? above : `\\frac{${above}}{${factorsTex(below)}}`;
}

const isCallOf = (e: Expression, names: Readonly<Record<string, string>>): e is Of<"call"> =>
  e.kind === "call" && Object.hasOwn(names, e.name);

function powerTex(base: Expression, exponent: Expression): string {
  const power = expressionTex(exponent);
  if (isCallOf(base, known) && exponent.kind === "number" && exponent.value > 0)
    return `${known[base.name]}^{${power}}${brackets(list(base.args))}`;
  const isPlain = ["number", "name", "index", "vector"].includes(base.kind);
  return `${isPlain ? expressionTex(base) : brackets(expressionTex(base))}^{${power}}`;
}

function callTex({ name, args }: Of<"call">): string {
  const [first, second, third, fourth] = args;
  if ((name === "sum" || name === "prod") && fourth && first?.kind === "name") {
    const term = fourth.kind === "sum" ? brackets(expressionTex(fourth)) : expressionTex(fourth);
    const limits = `_{${nameTex(first.name)}=${expressionTex(second!)}}^{${expressionTex(third!)}}`;
    return `\\${name}${limits} ${term}`;
  }
  if (args.length === 1) {
    const inner = expressionTex(first!);
    if (name === "sqrt") return `\\sqrt{${inner}}`;
    if (name === "exp") return `\\mathrm{e}^{${inner}}`;
    if (name === "abs") return `\\left|${inner}\\right|`;
    if (name === "norm") return `\\left\\|${inner}\\right\\|`;
    if (name === "square" || name === "cube")
      return powerTex(first!, { kind: "number", value: name === "square" ? 2 : 3, at: 0 });
  }
  if (name === "pow" && args.length === 2) return powerTex(first!, second!);
  if (name === "dot") return `\\left\\langle ${list(args)} \\right\\rangle`;
  return `${known[name] ?? `\\operatorname{${name.replaceAll("_", "\\_")}}`}${brackets(list(args))}`;
}

/** LaTeX of an expression. */
export function expressionTex(e: Expression): string {
  switch (e.kind) {
    case "number":
      return numberTex(e.value);
    case "name":
      return e.name === "e" ? "\\mathrm{e}" : nameTex(e.name);
    case "index":
      return `${nameTex(e.name)}_{${expressionTex(e.index)}}`;
    case "range":
      return `${expressionTex(e.from)}:${expressionTex(e.to)}`;
    case "sum":
      return sumTex(e);
    case "product":
      return productTex(e);
    case "power":
      return powerTex(e.base, e.exponent);
    case "vector":
      return brackets(list(e.entries));
    case "call":
      return callTex(e);
  }
}
