import type { Logger, LogLevel } from '@temporalio/common';
import { type DestinationStream, pino, stdSerializers } from 'pino';

/**
 * A pino logger with the SDK's logger interface. Each line is one JSON object.
 *
 * @param destination where the lines go. @default standard output
 * @see `docs/running.md`
 */
export function pinoLogger(level = 'info', destination?: DestinationStream): Logger {
  // Without this serializer, pino writes an Error under the key `error` without its message.
  const serializers = { error: stdSerializers.err };
  // By default pino writes a level as a number.
  const formatters = { level: (label: string) => ({ level: label }) };
  const target = pino({ name: 'escapement', level, serializers, formatters }, destination);
  const write =
    (name: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: Record<string, unknown>) =>
      target[name](meta ?? {}, message);
  const logger = {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return {
    ...logger,
    log: (at: LogLevel, message, meta) => logger[at.toLowerCase() as keyof typeof logger](message, meta),
  };
}
