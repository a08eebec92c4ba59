/** A read that gets no answer for so long is given up, since no other one begins before it has ended. */
const GIVE_UP_AFTER_MILLISECONDS = 60_000;

/** The reads of one path, one at a time. */
export interface Reads {
  /** Begins a read now, or when the read under way has ended. */
  again: () => void;
  /** Begins a read like `again`, but not sooner than this after the begin of the last one. */
  againNotBefore: (milliseconds: number) => void;
  /** Begins a read now, if none is under way and the last one began at least so long ago. */
  pollIfOlderThan: (milliseconds: number) => void;
  stop: () => void;
}

/**
 * A read under way is never ended for a newer one. With events every second, a slower answer would never arrive.
 *
 * @param read reads once, and does not reject
 */
export function readsOf(read: (signal: AbortSignal) => Promise<void>): Reads {
  let underWay: AbortController | undefined;
  let isWanted = false;
  let isStopped = false;
  let beganAt = 0;
  let later: ReturnType<typeof setTimeout> | undefined;
  const age = () => Date.now() - beganAt;
  const again = async () => {
    isWanted = true;
    if (underWay) return;
    while (isWanted && !isStopped) {
      isWanted = false;
      underWay = new AbortController();
      const { signal } = underWay;
      const silence = setTimeout(giveUp, GIVE_UP_AFTER_MILLISECONDS, underWay);
      beganAt = Date.now();
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
