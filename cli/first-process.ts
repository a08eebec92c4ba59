/**
 * The first process of a container ends only on signals that it handles. So these handlers end it while a command
 * loads, and if a command has no handlers. Otherwise `docker stop` would wait for its whole grace period.
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
