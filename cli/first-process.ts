/**
 * The first process of a container ends only on signals that it handles. Without a handler, `docker stop` would wait
 * for its whole grace period, while a command loads as well as for commands that ignore signals.
 */
if (process.pid === 1) {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      // A command that stops in an orderly way has its own signal handler.
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
}
