// Machines that everybody knows.

const machine = (start: string, blank: string, rules: string): string =>
  JSON.stringify({ start, blank, rules: rules.split(";").map((rule) => rule.trim().split(" ")) });

/** As JSON, by name. The busy beavers run longest among machines of their size: they halt after 6, 21 and 107 steps. */
export const exampleMachines: Readonly<Record<string, string>> = {
  "busy-beaver-2": machine("A", "0", "A 0 1 R B; A 1 1 L B; B 0 1 L A; B 1 1 R H"),
  "busy-beaver-3": machine("A", "0", "A 0 1 R B; A 1 1 R H; B 0 1 L B; B 1 0 R C; C 0 1 L C; C 1 1 L A"),
  "busy-beaver-4": machine(
    "A",
    "0",
    "A 0 1 R B; A 1 1 L B; B 0 1 L A; B 1 0 L C; C 0 1 R H; C 1 1 L D; D 0 1 R D; D 1 0 R A",
  ),
  parity: machine(
    "even",
    "_",
    "even 0 0 R even; even 1 1 R odd; odd 0 0 R odd; odd 1 1 R even; even _ 0 N done; odd _ 1 N done",
  ),
  increment: machine(
    "right",
    "_",
    "right 0 0 R right; right 1 1 R right; right _ _ L carry; carry 1 0 L carry; carry 0 1 N done; carry _ 1 N done",
  ),
};
