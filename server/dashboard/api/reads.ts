/** A read that gets no answer for this long is given up, since the next read begins only when it has ended. */
const GIVE_UP_AFTER_MILLISECONDS = 60_000;

/** The reads of one path, one at a time. */
export interface Reads {
  /** Begins a read now, or when the read under way has ended. */
  again: () => void;
  /** Begins a read like `again`, but not sooner than this long after the last one began. */
  againNotBefore: (milliseconds: number) => void;
  /** Begins a read now, if none is under way and the last one began at least this long ago. */
  pollIfOlderThan: (milliseconds: number) => void;
  stop: () => void;
}

/**
 * Returns reads that never abort a read under way for a newer one. Otherwise, with an event every second, an answer
 * that takes longer would never arrive.
 *
 * @param read reads once, and does not reject
 */
export function readsOf(read: (signal: AbortSignal) => Promise<void>): Reads {
  let underWay: AbortController | undefined;
  let isWanted = false;
  let isStopped = false;
  let beganAt = Number.NEGATIVE_INFINITY;
  let later: ReturnType<typeof setTimeout> | undefined;
  // The browser's clock may be set back.
  const age = () => performance.now() - beganAt;
  const again = async () => {
    isWanted = true;
    if (underWay) return;
    while (isWanted && !isStopped) {
      isWanted = false;
      underWay = new AbortController();
      const { signal } = underWay;
      const silence = setTimeout(giveUp, GIVE_UP_AFTER_MILLISECONDS, underWay);
      beganAt = performance.now();
      clearTimeout(later);
      later = undefined;
      await read(signal);
      clearTimeout(silence);
    }
    underWay = undefined;
  };
  return {
    again: () => void again(),
    againNotBefore: (milliseconds) => {
      if (age() >= milliseconds) void again();
      else later ??= setTimeout(again, milliseconds - age());
    },
    pollIfOlderThan: (milliseconds) => void (!underWay && age() >= milliseconds && again()),
    stop: () => {
      isStopped = true;
      clearTimeout(later);
      underWay?.abort();
    },
  };
}

function giveUp(underWay: AbortController): void {
  underWay.abort(new Error('The server takes longer than a minute to answer. This page tries again.'));
}
