import type { Logger } from '@temporalio/common';
import { Option } from 'commander';
import { pinoLogger } from '../../trigger/logging';
import type { Environment } from '../environment';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

export function logLevelOption(): Option {
  return new Option('--log-level <level>', 'default: ESCAPEMENT_LOG_LEVEL, else info').choices(LEVELS);
}

/** @throws {Error} if no flag is given, and the variable has an unknown level */
export function loggerOf({ logLevel }: { logLevel?: string }, { logLevel: variable }: Environment): Logger {
  if (logLevel === undefined && variable !== undefined && !LEVELS.includes(variable)) {
    throw new Error(`ESCAPEMENT_LOG_LEVEL: '${variable}' is no level; use ${LEVELS.join(', ')}`);
  }
  return pinoLogger(logLevel ?? variable);
}
