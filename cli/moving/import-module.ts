import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { counted } from '../../core/counted';
import type { Reading } from '../../moving/dialects/found';
import { scheduleModule } from '../../moving/dialects/schedule-module';
import { printJson, printSafely, safe } from '../output/output';

export interface ModuleOptions {
  out?: string;
  force?: boolean;
  taskQueue?: string;
  json?: boolean;
}

export function withModule(command: Command): Command {
  return command
    .option('--out <file>', 'write the module into this file (default: print it)')
    .option('--force', 'overwrite an existing file')
    .option('--task-queue <name>', "task queue of the workflows (default: 'crons')")
    .option('--json', 'print JSON, one line a schedule or a problem');
}

/**
 * Write the schedules that were read as a module or as JSON. Standard error gets what could not be read, and the number
 * of decisions that a person must make. The exit code is 1 if something could not be read.
 *
 * @throws {Error} if the file already exists and `force` is not set, or if it cannot be written
 */
export async function writeModule(reading: Reading, source: string, options: ModuleOptions): Promise<void> {
  const { found, problems } = reading;
  // The texts of other crons become comments and string literals: both may hold an escaped character.
  const code = safe(scheduleModule(reading, source));
  if (options.out !== undefined) await writeNew(options.out, code, options.force ?? false);
  if (options.json) {
    for (const one of found) printJson(one);
    for (const one of problems) printJson(one);
  } else if (options.out === undefined) process.stdout.write(code);
  const decisions = found.reduce((sum, { decide }) => sum + decide.length, 0);
  printSafely(process.stderr, [
    ...problems.map(({ where, problem }) => `left out: ${where}: ${problem}`),
    `${counted(found.length, 'schedule')}, ${counted(decisions, 'decision')} to take, ${problems.length} left out${options.out === undefined ? '' : `; written to ${options.out}`}.`,
  ]);
  if (problems.length > 0) process.exitCode = 1;
}

/** Without `force`, an existing file is not overwritten, since somebody may have edited it. */
async function writeNew(file: string, code: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, code, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code: reason, message } = error as NodeJS.ErrnoException;
    if (reason === 'EEXIST') throw new Error(`'${file}' already exists; give --force to overwrite it`);
    throw new Error(`'${file}' cannot be written (${message})`);
  }
}
