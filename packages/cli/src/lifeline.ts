// Ends a process when this one is gone, be it killed: a shell waits for our last word, and ends the other where none comes.
// The other one cannot look after itself, since it may be busy for ever; a thread there costs ten times as much.
import { spawn } from "node:child_process";

/** Ctrl-C is not for the shell: it stays until we are gone. */
const watch = 'trap "" INT TERM HUP; read pid && { read word || kill -9 $pid; }';

export class Lifeline {
  readonly #shell = started();

  /** Is there a shell that waits? */
  get holds(): boolean {
    return this.#shell?.pid !== undefined;
  }

  /** From now on this process ends with ours. */
  hold(pid: number | undefined): void {
    if (pid !== undefined) this.#shell?.stdin.write(`${pid}\n`);
  }

  /** The process has ended by itself; done when the shell has, too. */
  async release(): Promise<void> {
    const shell = this.#shell;
    if (!shell || shell.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
    const gone = new Promise((resolve) => shell.once("exit", resolve));
    shell.stdin.end("well\n");
    await gone;
  }
}

function started() {
  if (process.platform === "win32") return undefined;
  try {
    const shell = spawn("/bin/sh", ["-c", watch], { stdio: ["pipe", "ignore", "ignore"], env: {} });
    shell.on("error", () => {}); // it has no pid then
    shell.stdin.on("error", () => {}); // it has been ended from outside
    return shell;
  } catch {
    return undefined;
  }
}
