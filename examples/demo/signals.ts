/** One Ctrl-C may arrive twice: from the terminal, and again from npm, which forwards it. */
const SAME_CTRL_C_MILLISECONDS = 700;

const CHECK_PARENT_EVERY_MILLISECONDS = 500;

/**
 * Returns a signal that is aborted by the first SIGINT, SIGTERM or SIGHUP, which asks for an orderly end. A later
 * signal ends the process at once. npm sends a signal that only it received to its shell, which may die without
 * forwarding it. So under npm, a vanished parent process counts as a first signal too.
 */
export function stopSignal(options: { startedByNpm: boolean }): AbortSignal {
  const stop = new AbortController();
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    firstAt ??= Date.now();
    if (Date.now() - firstAt > SAME_CTRL_C_MILLISECONDS) process.exit(signal === 'SIGINT' ? 130 : 143);
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  if (options.startedByNpm) {
    const parent = process.ppid;
    const check = () => {
      if (process.ppid === parent) return;
      firstAt ??= Date.now();
      stop.abort();
    };
    setInterval(check, CHECK_PARENT_EVERY_MILLISECONDS).unref();
  }
  return stop.signal;
}
