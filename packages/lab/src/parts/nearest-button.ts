/** The button that a keyboard goes on with when one near this element is gone: the main one of the nearest group that has any. */
export function nearestButton(around: readonly Element[]): HTMLElement | undefined {
  for (const group of around.filter((each) => each.isConnected)) {
    const found =
      group.querySelector<HTMLElement>("button.primary:enabled") ??
      group.querySelector<HTMLElement>("button:enabled");
    if (found) return found;
  }
  return undefined;
}

/** What is around an element, the nearest first. */
export function surroundings(element: Element): readonly Element[] {
  const parent = element.parentElement;
  return parent ? [parent, ...surroundings(parent)] : [];
}
