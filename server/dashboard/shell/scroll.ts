import { useEffect } from 'preact/hooks';

/** How many times to try to restore the scroll position, until the page is long enough. */
const TRIES = 40;
const BETWEEN_MILLISECONDS = 25;

/**
 * After the browser's Back, the scroll position is restored, even though the rows are loaded again. A new page starts
 * at its top.
 */
export function useScroll(): void {
  useEffect(() => {
    history.scrollRestoration = 'manual';
    let isStep = false;
    const note = () => {
      const { state } = history;
      if (state?.scroll !== scrollY) history.replaceState({ ...state, scroll: scrollY }, '');
    };
    const stepped = (event: PopStateEvent) => {
      isStep = event.state?.scroll !== undefined;
      if (isStep) void scrollBack(event.state.scroll);
    };
    const changed = () => {
      if (!isStep) scrollTo(0, 0);
      isStep = false;
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const scrolled = () => {
      clearTimeout(timer);
      timer = setTimeout(note, 100);
    };
    addEventListener('popstate', stepped);
    addEventListener('hashchange', changed);
    addEventListener('scroll', scrolled, { passive: true });
    return () => {
      removeEventListener('popstate', stepped);
      removeEventListener('hashchange', changed);
      removeEventListener('scroll', scrolled);
    };
  }, []);
}

async function scrollBack(to: number): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    scrollTo(0, to);
    if (Math.abs(scrollY - to) < 2) return;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MILLISECONDS));
  }
}
