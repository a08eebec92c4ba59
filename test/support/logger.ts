import type { Logger, LogLevel } from '@temporalio/common';

/** A logger that keeps what it is given. */
export class MemoryLogger implements Logger {
  readonly lines: { level: string; message: string; meta: Record<string, unknown> }[] = [];

  log(level: LogLevel, message: string, meta: Record<string, unknown> = {}): void {
    this.lines.push({ level: level.toLowerCase(), message, meta });
  }
  trace = (message: string, meta?: Record<string, unknown>) => this.log('TRACE', message, meta);
  debug = (message: string, meta?: Record<string, unknown>) => this.log('DEBUG', message, meta);
  info = (message: string, meta?: Record<string, unknown>) => this.log('INFO', message, meta);
  warn = (message: string, meta?: Record<string, unknown>) => this.log('WARN', message, meta);
  error = (message: string, meta?: Record<string, unknown>) => this.log('ERROR', message, meta);

  messages(): string[] {
    return this.lines.map((line) => line.message);
  }
}
