// What a browser does for a new document: its reader begins at the top, and a screen reader with its heading.

/** Focuses the heading of a new page as soon as it is there, unless the page has focused something itself; returns an end to waiting. */
export function focusHeading(main: HTMLElement, old: HTMLHeadingElement | null): () => void {
  const isDone = (): boolean => {
    const heading = main.querySelector("h1");
    if (!heading || heading === old) return false;
    const { activeElement } = document;
    if (activeElement !== main && main.contains(activeElement)) return true;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    return true;
  };
  if (isDone()) return () => {};
  const observer = new MutationObserver(() => {
    if (isDone()) observer.disconnect();
  });
  observer.observe(main, { childList: true, subtree: true });
  return () => observer.disconnect();
}
