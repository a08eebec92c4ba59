/**
 * The first process of a container only ends on signals that it handles. Without a handler, `docker stop` would wait
 * for its whole grace period, both while a command loads and for commands that ignore signals.
 */
if (process.pid === 1) {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      // A command with an orderly stop has its own listener.
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
}
