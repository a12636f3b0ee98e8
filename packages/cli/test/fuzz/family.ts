import { readFileSync } from "node:fs";

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** Seconds that a process has worked, on however busy a machine; undefined where there is no /proc. */
export function workedSeconds(pid: number | undefined): number | undefined {
  const fields = read(`/proc/${pid}/stat`).split(") ")[1]?.split(" ");
  return fields && (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
const ticksPerSecond = 100;

/** The memory of the largest of a process and its children, at its highest so far; 0 where there is no /proc. */
export function familyBytes(pid: number | undefined): number {
  const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(/\s+/).filter(Boolean);
  const own = 1024 * Number(/VmHWM:\s*(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
  return Math.max(own, ...children.map((child) => familyBytes(Number(child))));
}
