// Judges models in another process, which is started again when ONNX Runtime has ended it.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Judgement } from "./judge-model.ts";

export interface Question {
  readonly seed: string;
  readonly k: number;
  readonly n: number;
}

export interface Answer {
  /** null: the runtime refuses the model. */
  readonly judgement: Judgement | null;
}

/** How the process ended, by itself or by us, instead of an answer. */
export interface Death {
  /** In one line. */
  readonly end: string;
  /** By the runtime, and not by our own code. */
  readonly isOfRuntime: boolean;
}

const childPath = fileURLToPath(new URL("./child.ts", import.meta.url));
/** Far more than a model takes on any machine: a pass, or the runtime, that does not end. */
const endlessMinutes = 5;
/** What Node says before it ends by itself: memory that our own code has filled, or an error that nobody caught. */
const isOurs = /heap out of memory|Fatal JavaScript|Node\.js v\d/;

export class JudgeProcess {
  #child: ChildProcess | undefined;
  #said = "";

  ask(question: Question): Promise<Answer | Death> {
    this.#child ??= this.#start();
    const child = this.#child;
    this.#said = "";
    return new Promise((resolve) => {
      let isEndless = false;
      const timer = setTimeout(() => {
        isEndless = true;
        child.kill("SIGKILL");
      }, 60_000 * endlessMinutes);
      const settle = (found: Answer | Death): void => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(found);
      };
      child.once("message", (answer) => settle(answer as Answer));
      child.once("close", (code, signal) => {
        this.#child = undefined;
        const end = isEndless ? `no end in ${endlessMinutes} minutes` : (signal ?? `exit code ${code}`);
        const isOfRuntime = !isEndless && signal !== null && !isOurs.test(this.#said);
        settle({ end: `${end} ${this.#said.slice(0, 300)}`.replace(/\s+/g, " ").trim(), isOfRuntime });
      });
      child.send(question);
    });
  }

  #start(): ChildProcess {
    const child = fork(childPath, [], {
      execArgv: ["--conditions=lemmata-source", "--import", "tsx"],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    return child;
  }

  stop(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }
}
