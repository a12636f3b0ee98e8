// Children that try commands, one at a time each; a child that dies, hangs or swells is replaced.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { familyBytes, workedSeconds } from "./family.ts";
import { type Finding, mostBytes } from "./judge.ts";

/** Why a child was lost, or what it found. */
export type Trial =
  | { readonly kind: "finding"; readonly finding: Finding; readonly noise: string }
  | { readonly kind: "crash" | "hang" | "memory"; readonly reason: string };

/** After this the file goes to the real command, which has a guard. */
const patience = 2;
/** A command that waits, and does not work, waits for nothing. */
const mostWaiting = 60_000;
/** Memory that the runtime keeps from file to file must not count as one file's. */
const commandsPerChild = 500;
const childPath = fileURLToPath(new URL("./child.ts", import.meta.url));

export class Worker {
  #child: ChildProcess | undefined;
  #noise = "";
  #tried = 0;

  /** Tries one command. */
  async try(...words: string[]): Promise<Trial> {
    if (this.#tried >= commandsPerChild) await this.stop();
    const child = this.#child ?? (await this.#start());
    this.#tried++;
    this.#noise = "";
    const trial = await this.#ask(child, words);
    if (trial.kind !== "finding" || trial.finding.peakBytes > mostBytes) await this.stop();
    if (trial.kind !== "finding" || trial.finding.peakBytes <= mostBytes) return trial;
    return { kind: "memory", reason: `${(trial.finding.peakBytes / 1e9).toFixed(2)} GB` };
  }

  #ask(child: ChildProcess, words: readonly string[]): Promise<Trial> {
    return new Promise((resolve) => {
      const settle = (trial: Trial) => {
        clearTimeout(timer);
        clearInterval(looking);
        child.removeAllListeners("message");
        child.removeAllListeners("exit");
        resolve(trial);
      };
      const timer = setTimeout(
        () => settle({ kind: "hang", reason: `no answer in ${mostWaiting} ms` }),
        mostWaiting,
      );
      const before = workedSeconds(child.pid) ?? 0;
      const looking = setInterval(() => {
        if ((workedSeconds(child.pid) ?? 0) - before > patience)
          settle({ kind: "hang", reason: `no answer after ${patience} s of work` });
        const bytes = familyBytes(child.pid);
        if (bytes > mostBytes) settle({ kind: "memory", reason: `${(bytes / 1e9).toFixed(2)} GB` });
      }, 50);
      child.once("exit", (code, signal) =>
        settle({
          kind: "crash",
          reason: `${signal ?? `exit code ${code}`} ${this.#noise.slice(0, 300)}`.trim(),
        }),
      );
      // What the runtime prints by itself arrives through the pipe a moment after the message.
      // The command's own messages are for its guard, which is absent here.
      child.on("message", (message: Finding | string) => {
        if (typeof message === "object" && "outcome" in message)
          setImmediate(() => settle({ kind: "finding", finding: message, noise: this.#noise }));
      });
      child.send(words);
    });
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(childPath, [], {
      execArgv: ["--import", "tsx"],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...process.env, LEMMATA_GUARDED: "1" },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#noise += chunk.toString();
      });
    this.#child = child;
    this.#tried = 0;
    await new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", () => reject(new Error(`a fuzz child did not start: ${this.#noise}`)));
    });
    child.removeAllListeners("exit");
    return child;
  }

  /** Ends the child; the next file gets a new one. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
}
