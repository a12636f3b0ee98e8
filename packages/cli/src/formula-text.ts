// Formulas as a terminal can show them: LaTeX in, one line of Unicode out.

const symbols: Readonly<Record<string, string>> = {
  ...{ alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", zeta: "ζ", eta: "η" },
  ...{
    theta: "θ",
    vartheta: "ϑ",
    iota: "ι",
    kappa: "κ",
    lambda: "λ",
    mu: "μ",
    nu: "ν",
    xi: "ξ",
    pi: "π",
    rho: "ρ",
  },
  ...{ varrho: "ϱ", sigma: "σ", tau: "τ", phi: "φ", varphi: "φ", chi: "χ", psi: "ψ", omega: "ω", ell: "ℓ" },
  ...{ Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π", Sigma: "Σ", Phi: "Φ", Psi: "Ψ" },
  ...{
    Omega: "Ω",
    Upsilon: "Υ",
    le: "≤",
    leq: "≤",
    ge: "≥",
    geq: "≥",
    ne: "≠",
    neq: "≠",
    lesssim: "≲",
    gtrsim: "≳",
  },
  ...{ ll: "≪", gg: "≫", approx: "≈", sim: "∼", equiv: "≡", in: "∈", ni: "∋", notin: "∉", subset: "⊂" },
  ...{
    subseteq: "⊆",
    supseteq: "⊇",
    cup: "∪",
    bigcup: "⋃",
    cap: "∩",
    setminus: "∖",
    emptyset: "∅",
    forall: "∀",
    exists: "∃",
  },
  ...{ infty: "∞", sum: "∑", prod: "∏", int: "∫", iint: "∬", partial: "∂", nabla: "∇", cdot: "·" },
  ...{ times: "×", pm: "±", mp: "∓", circ: "∘", odot: "⊙", oplus: "⊕", otimes: "⊗", top: "⊤", perp: "⊥" },
  ...{ star: "⋆", downarrow: "↓", uparrow: "↑", propto: "∝" },
  ...{
    to: "→",
    rightarrow: "→",
    leftarrow: "←",
    mapsto: "↦",
    implies: "⟹",
    Longrightarrow: "⟹",
    iff: "⟺",
    Rightarrow: "⇒",
  },
  ...{ Leftrightarrow: "⇔", langle: "⟨", rangle: "⟩", lceil: "⌈", rceil: "⌉", lfloor: "⌊", rfloor: "⌋" },
  ...{
    lVert: "‖",
    rVert: "‖",
    Vert: "‖",
    lvert: "|",
    rvert: "|",
    vert: "|",
    mid: "|",
    dots: "…",
    ldots: "…",
  },
  ...{
    cdots: "⋯",
    vdots: "⋮",
    ddots: "⋱",
    checkmark: "✓",
    quad: "\u2003",
    qquad: "\u2003\u2003",
    colon: ":",
    angle: "∠",
    notni: "∌",
  },
};
/** Size and style say nothing on one line. */
const silent = new Set([
  ...["left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr"],
  ...["textstyle", "displaystyle", "limits", "nolimits", "bigm", "middle"],
]);
/** Written as they are called. */
const names = new Set([
  ...[
    "ln",
    "log",
    "exp",
    "sin",
    "cos",
    "tan",
    "tanh",
    "arccos",
    "arcsin",
    "arctan",
    "max",
    "min",
    "sup",
    "inf",
    "lim",
    "arg",
    "argmin",
  ],
  ...["dim", "deg", "det", "sgn", "ker", "Pr", "gcd", "mod", "limsup", "liminf"],
]);
const spaces: Readonly<Record<string, string>> = {
  ",": " ",
  ";": " ",
  ":": " ",
  " ": " ",
  "!": "",
  "\\": "; ",
};
const accents: Readonly<Record<string, string>> = {
  ...{ hat: "\u0302", widehat: "\u0302", bar: "\u0304", overline: "\u0304", tilde: "\u0303" },
  ...{ widetilde: "\u0303", dot: "\u0307", vec: "\u20d7" },
};

const plain = "0123456789+-=()abcdefghijklmnoprstuvwxyzβγδθ";
const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵝᵞᵟᶿ";
const lowered: Readonly<Record<string, string>> = {
  ...Object.fromEntries([..."0123456789+-=()"].map((c, k) => [c, "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"[k]!])),
  ...{ a: "ₐ", e: "ₑ", h: "ₕ", i: "ᵢ", j: "ⱼ", k: "ₖ", l: "ₗ", m: "ₘ", n: "ₙ", o: "ₒ", p: "ₚ", r: "ᵣ" },
  ...{ s: "ₛ", t: "ₜ", u: "ᵤ", v: "ᵥ", x: "ₓ", β: "ᵦ", γ: "ᵧ", ρ: "ᵨ", φ: "ᵩ" },
};
const superscripts: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...plain].map((c, k) => [c, [...raised][k]!])),
  ...{ "⊤": "ᵀ", T: "ᵀ", L: "ᴸ", N: "ᴺ", D: "ᴰ", "′": "′", "*": "*" },
};

/** Letters of an alphabet of Unicode from the code point of its A; some stand elsewhere. */
const alphabets: Readonly<
  Record<string, readonly [capital: number, elsewhere: Readonly<Record<string, string>>]>
> = {
  mathcal: [0x1d49c, { B: "ℬ", E: "ℰ", F: "ℱ", H: "ℋ", I: "ℐ", L: "ℒ", M: "ℳ", R: "ℛ" }],
  mathbb: [0x1d538, { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ", 1: "𝟙" }],
  mathfrak: [0x1d504, { C: "ℭ", H: "ℌ", I: "ℑ", R: "ℜ", Z: "ℨ" }],
};

/** Prose with formulas between dollars; without any dollar, the whole is a formula. */
export const proseText = (text: string): string =>
  text.includes("$")
    ? text.replace(/\$([^$]*)\$/g, (_, formula: string) => formulaText(formula))
    : formulaText(text);

/** `formulaText("\\frac{1}{2} 4^{-i}")` is `1/2 4⁻ⁱ`. A command that is not known stays as it is. */
export const formulaText = (latex: string): string =>
  new Reader(latex)
    .all()
    .replace(/ +/g, " ")
    .replace(/ ?(\u2003+) ?/g, "   ")
    .trim();

/** After a fraction these, or anything that is no letter, number or bracket, need no brackets around it. */
const separates =
  /^\\(right|[bB]ig|[lg]eq?\b|ne\b|in\b|to\b|approx|sim|lesssim|cdot|times|pm|circ|q?quad|text|[,;:!{}\\|])/;

class Reader {
  readonly #latex: string;
  #at = 0;

  constructor(latex: string) {
    this.#latex = latex;
  }

  all(): string {
    let text = "";
    while (this.#at < this.#latex.length)
      text += this.#latex[this.#at] === "}" ? this.#skip() : this.#piece();
    return text;
  }

  #skip(): string {
    this.#at++;
    return "";
  }

  #match(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern, "y");
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#latex)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** What stands between braces, or the next thing. */
  #argument(): string {
    this.#match(/\s*/);
    if (this.#latex[this.#at] !== "{") return this.#piece();
    this.#at++;
    let text = "";
    while (this.#at < this.#latex.length && this.#latex[this.#at] !== "}") text += this.#piece();
    this.#at++;
    return text;
  }

  /** The source of an argument, for words. */
  #words(): string {
    this.#match(/\s*/);
    return (this.#match(/\{[^{}]*\}/) ?? `{${this.#piece()}}`).slice(1, -1);
  }

  #piece(): string {
    const command = this.#match(/\\([a-zA-Z]+|[\s\S])/)?.slice(1);
    if (command !== undefined) return this.#command(command);
    const c = this.#latex[this.#at++] ?? "";
    if (c === "{") {
      this.#at--;
      return this.#argument();
    }
    if (c === "^") return script(this.#argument(), superscripts, "^");
    if (c === "_") return script(this.#argument(), lowered, "_");
    return c === "~" ? " " : c === "&" ? ", " : c === "'" ? "′" : /\s/.test(c) ? " " : c;
  }

  #command(name: string): string {
    if (name in symbols) return symbols[name]!;
    if (name in spaces) return spaces[name]!;
    if (silent.has(name)) {
      this.#match(/\./); // an invisible bracket
      return "";
    }
    if (name in accents) return accented(this.#argument(), accents[name]!, name);
    if (name in alphabets) return [...this.#words()].map((c) => letter(c, alphabets[name]!)).join("");
    switch (name) {
      case "frac":
      case "tfrac":
      case "dfrac":
        return this.#fraction();
      case "binom":
      case "tbinom":
        return `C(${this.#argument()}, ${this.#argument()})`;
      case "sqrt":
        return this.#root();
      case "text":
      case "mathrm":
      case "operatorname":
      case "mathbf":
      case "boldsymbol":
      case "textbf":
      case "mathsf":
        return this.#words();
      case "begin":
        this.#words();
        return "[";
      case "end":
        this.#words();
        return "]";
      case "|":
        return "‖";
      case "not":
        return this.#match(/\\ni\b/) === undefined ? "\\not" : "∌";
      case "underbrace": {
        const whole = this.#argument();
        // What is written below the brace says what it is called.
        return this.#match(/_/) === undefined ? whole : `${whole} (= ${this.#argument()})`;
      }
      default:
        return names.has(name) || name.length === 1 ? name : `\\${name}`;
    }
  }

  #fraction(): string {
    const [above, below] = [this.#argument(), this.#argument()];
    const next = this.#latex.slice(this.#at).trimStart();
    const isFollowed = /^[\w\\(]/.test(next) && !separates.test(next);
    const quotient = `${bracketed(above)}/${bracketed(below)}`;
    return isFollowed && !/^\d+\/\d+$/.test(quotient) ? `(${quotient})` : quotient;
  }

  #root(): string {
    const degree = this.#match(/\[[^\]]*\]/)?.slice(1, -1) ?? "";
    const sign = { "": "√", 3: "∛", 4: "∜" }[degree] ?? `${script(degree, superscripts, "^")}√`;
    return sign + bracketed(this.#argument());
  }
}

/** In brackets unless it is one thing: a number, a name with its indices, or in brackets already. */
const bracketed = (text: string): string =>
  /^([\p{L}\d.∞][\p{M}\p{Lm}\p{No}₀-₎⁰-⁾ₐ-ₜ]*|\d+|[\p{L}]+\([^()]*\)|\([^()]*\)|[‖|⌈⌊⟨][^‖|⌈⌊⟨⟩⌋⌉]*[‖|⌉⌋⟩])$/u.test(
    text.trim(),
  )
    ? text.trim()
    : `(${text.trim()})`;

/** Small letters above or below the line where Unicode has all of them; else `^(...)`. */
function script(text: string, small: Readonly<Record<string, string>>, mark: "^" | "_"): string {
  const letters = [...text.replaceAll(" ", "")];
  if (letters.length > 0 && text !== "(" && letters.every((c) => c in small))
    return letters.map((c) => small[c]).join("");
  return letters.length === 1 ? mark + text : `${mark}${/^\(.*\)$/.test(text) ? text : `(${text})`}`;
}

const accented = (text: string, mark: string, name: string): string =>
  [...text].length === 1 ? text + mark : `${name.replace("wide", "")}(${text})`;

function letter(
  c: string,
  [capital, elsewhere]: readonly [number, Readonly<Record<string, string>>],
): string {
  if (c in elsewhere) return elsewhere[c]!;
  return /[A-Z]/.test(c) ? String.fromCodePoint(capital + c.charCodeAt(0) - 65) : c;
}
