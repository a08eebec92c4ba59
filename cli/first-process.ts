/**
 * Only a signal that it handles ends the first process of a container. Without this, `docker stop` would wait for its
 * whole grace period while a command loads, or where it leaves signals alone.
 */
if (process.pid === 1) {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      // A command that stops in order has a listener of its own.
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
}
