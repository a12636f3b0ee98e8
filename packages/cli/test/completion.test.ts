import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { completionScript } from "../src/program/completion.ts";
import { createProgram } from "../src/program.ts";

const completed = (...words: string[]): string => {
  const script = `${completionScript("bash", createProgram())}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lemmata; echo "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" }).trim();
};

describe("shell completion", () => {
  it.each([
    [["lemmata", "b"], "bound"],
    [["lemmata", "theory", "f"], "falsify"],
    [["lemmata", "bound", "--me"], "--method --memory"],
    [["lemmata", "theory", "falsify", "--tr"], "--trials"],
    [["lemmata", "sw"], "sweep"],
    [["lemmata", "sweep", "--job"], "--job-timeout"],
    [["lemmata", "worker", "--q"], "--queue --quiet"],
    [["lemmata", "info", "/de"], "/dev"],
  ])("%j", (words, expected) =>
    expect(
      completed(...words)
        .split(" ")
        .sort(),
    ).toEqual(expected.split(" ").sort()),
  );

  it.each(["zsh", "fish"])("%s: every command is in it", (shell) => {
    const script = completionScript(shell, createProgram());
    for (const { name } of createProgram().commands.map((c) => ({ name: c.name() })))
      expect(script).toContain(name);
  });

  it("another shell is refused", () => {
    expect(() => completionScript("csh", createProgram())).toThrow("choose one of bash, zsh, fish");
  });
});
