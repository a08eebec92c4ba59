/**
 * The first process of a container does not end on SIGINT or SIGTERM unless it handles them. These handlers end it
 * while a command loads, and if the command has no handlers of its own. Otherwise `docker stop` would wait for its
 * whole grace period.
 */
if (process.pid === 1) {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
}
