/** The keyboard reaches what has to be scrolled to be read, and does not stop at the rest. */
export function scrollable(element: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    if (element.scrollWidth > element.clientWidth + 1) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  });
  observer.observe(element);
  return () => observer.disconnect();
}
