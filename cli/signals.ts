/** One Ctrl-C may send two signals: one from the terminal, and one that npm or npx forwards. */
const SAME_SIGNAL_MILLISECONDS = 1_000;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Call `stop` at SIGINT and SIGTERM. A signal more than a second after the first one ends the process at once, for a
 * person who does not want to wait.
 *
 * @returns a function that removes the handlers
 */
export function onStopSignal(stop: () => void): () => void {
  let firstAt: number | undefined;
  const received = (signal: NodeJS.Signals) => {
    firstAt ??= Date.now();
    if (Date.now() - firstAt > SAME_SIGNAL_MILLISECONDS) process.exit(EXIT_CODES[signal as keyof typeof EXIT_CODES]);
    stop();
  };
  const signals = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];
  for (const signal of signals) process.on(signal, received);
  return () => {
    for (const signal of signals) process.off(signal, received);
  };
}
