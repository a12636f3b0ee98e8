// Completion of commands and options, as a script for a shell; made from the program itself.
import type { Command } from "commander";
import { oneOf } from "../choice.ts";

interface Words {
  /** The words before: `lemmata`, `lemmata theory`, `lemmata theory run`. */
  readonly path: string;
  /** What may come next, with what it does. */
  readonly next: readonly (readonly [word: string, meaning: string])[];
}

/** Every command with what may follow it. */
function wordsOf(command: Command, path = command.name()): Words[] {
  const options = command.options
    .filter((o) => o.long)
    .map((o) => [o.long!, firstClause(o.description)] as const);
  const commands = command.commands.map((c) => [c.name(), firstClause(c.description())] as const);
  return [
    { path, next: [...commands, ...options, ["--help", "how it is used"]] },
    ...command.commands.flatMap((c) => wordsOf(c, `${path} ${c.name()}`)),
  ];
}

const firstClause = (text: string): string => text.split(/[;:(]/)[0]!.trim().replaceAll("'", "’");

/** `completionScript("bash", program)`: commands and options; elsewhere file names. */
export function completionScript(shell: string, program: Command): string {
  const words = wordsOf(program);
  return { bash, zsh, fish }[oneOf("completion", shell, ["bash", "zsh", "fish"])](words);
}

const cases = (words: readonly Words[]): string =>
  words.map(({ path, next }) => `    '${path}') next='${next.map(([w]) => w).join(" ")}' ;;`).join("\n");

const bash = (words: readonly Words[]): string => `_lemmata() {
  local word=\${COMP_WORDS[COMP_CWORD]} path=lemmata next=
  [[ \${COMP_WORDS[1]} == theory && COMP_CWORD -gt 2 ]] && path="lemmata theory \${COMP_WORDS[2]}"
  [[ $path == lemmata && COMP_CWORD -gt 1 ]] && path="lemmata \${COMP_WORDS[1]}"
  case $path in
${cases(words)}
  esac
  COMPREPLY=( $(compgen -W "$next" -- "$word") )
  [[ \${#COMPREPLY[@]} -eq 0 || ( $word != -* && $path != lemmata && $path != 'lemmata theory' ) ]] &&
    COMPREPLY=( $(compgen -f -- "$word") )
}
complete -o filenames -F _lemmata lemmata
`;

const zsh = (words: readonly Words[]): string => `#compdef lemmata
_lemmata() {
  local -a known; local path=lemmata
  (( CURRENT > 2 )) && path="lemmata \${words[2]}"
  [[ \${words[2]} == theory ]] && (( CURRENT > 3 )) && path="lemmata theory \${words[3]}"
  case $path in
${words
  .map(({ path, next }) => {
    const known = next.map(([word, meaning]) => `'${word}:${meaning}'`).join(" ");
    return `    '${path}') known=(${known}) ;;`;
  })
  .join("\n")}
  esac
  _describe 'lemmata' known
  [[ $path != lemmata && $path != 'lemmata theory' ]] && _files
}
compdef _lemmata lemmata
`;

const fish = (words: readonly Words[]): string =>
  `${words
    .flatMap(({ path, next }) => {
      const [, command, second] = path.split(" ");
      const here =
        command === undefined
          ? "__fish_use_subcommand"
          : second === undefined
            ? `__fish_seen_subcommand_from ${command}`
            : `__fish_seen_subcommand_from ${command}; and __fish_seen_subcommand_from ${second}`;
      return next.map(([word, meaning]) => {
        const kind = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
        return `complete -c lemmata -n '${here}' ${kind} -d '${meaning}'`;
      });
    })
    .join("\n")}\n`;
