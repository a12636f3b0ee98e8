// A module of `generalization`, `measures` or `audit` with one line of its source, or of what it imports there, replaced: for tests that must notice.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const sources = fileURLToPath(new URL("../../src/", import.meta.url));
/** What is loaded anew; the rest is the library's own. */
const isOwn = (file: string): boolean => /^(audit|generalization|measures)\//.test(relative(sources, file));

export interface Damage {
  /** Below the sources. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

const scripts = new Map<string, string>();

/** The file as a script; unchanged ones are kept. */
function scriptOf(file: string, damage: Damage | undefined): string {
  const isDamaged = damage !== undefined && relative(sources, file) === damage.file;
  const kept = isDamaged ? undefined : scripts.get(file);
  if (kept !== undefined) return kept;
  const source = readFileSync(file, "utf8");
  if (isDamaged && source.split(damage.from).length !== 2)
    throw new Error(
      `${damage.file}: "${damage.from}" stands ${source.split(damage.from).length - 1} times in it`,
    );
  const text = isDamaged ? source.replace(damage.from, () => damage.to) : source;
  const script = transformSync(text, { loader: "ts", format: "cjs" }).code;
  if (!isDamaged) scripts.set(file, script);
  return script;
}

/** Loads a module anew; what lies outside of these folders is the library's own. */
export async function loaded<T>(entry: string, damage?: Damage): Promise<T> {
  const modules = new Map<string, Promise<object>>();
  const load = (file: string): Promise<object> => {
    const known = modules.get(file);
    if (known) return known;
    const made = isOwn(file) ? evaluated(file) : (import(file) as Promise<object>);
    modules.set(file, made);
    return made;
  };
  const evaluated = async (file: string): Promise<object> => {
    const script = scriptOf(file, damage);
    const needed = [...script.matchAll(/require\("([^"]+)"\)/g)].map(([, path]) => path!);
    const found = new Map<string, object>();
    for (const path of needed) found.set(path, await load(join(dirname(file), path)));
    const module = { exports: {} };
    new Function("require", "module", "exports", script)(
      (path: string) => found.get(path),
      module,
      module.exports,
    );
    return module.exports;
  };
  return (await load(join(sources, entry))) as T;
}

/** Damages of one file. */
export const damages = (file: string, ...pairs: readonly (readonly [from: string, to: string])[]): Damage[] =>
  pairs.map(([from, to]) => ({ file, from, to }));
