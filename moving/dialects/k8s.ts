import { parseAllDocuments } from 'yaml';
import { InvalidOptionError } from '../../core/errors';
import { type CronJobOptions, readCronJob } from './cron-job';
import { Names, type Reading } from './found';

const MOST_ALIASES = 100;

/**
 * Reads the CronJobs in manifests: YAML or JSON, several documents per file, and lists. Objects of other kinds than
 * CronJob are skipped. Documents that cannot be read, and files without a CronJob, are listed as problems.
 */
export function readManifests(files: readonly { name: string; text: string }[], options: CronJobOptions = {}): Reading {
  const reading: Reading = { found: [], problems: [] };
  const names = new Names();
  for (const { name, text } of files) {
    const before = reading.found.length + reading.problems.length;
    for (const [index, document] of documentsOf(text).entries()) {
      const where = `${name}, document ${index + 1}`;
      const [error] = document.errors;
      if (error) reading.problems.push({ where, problem: `is no YAML: ${error.message.split('\n', 1)[0]}` });
      else readDocument(plain(document), where, options, names, reading);
    }
    if (reading.found.length + reading.problems.length === before) {
      reading.problems.push({ where: name, problem: 'has no CronJob' });
    }
  }
  return reading;
}

/** Each document is parsed on its own, so that a broken one does not affect the next. */
function documentsOf(text: string) {
  return text
    .split(/^---(?=\s|$)/m)
    .filter((part) => /^\s*[^\s#%]/m.test(part))
    .flatMap((part) => [...parseAllDocuments(part)]);
}

function readDocument(value: unknown, where: string, options: CronJobOptions, names: Names, reading: Reading): void {
  if (value instanceof Error) {
    reading.problems.push({ where, problem: `is no YAML: ${value.message}` });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const { kind, items } = value as { kind?: unknown; items?: unknown };
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    for (const [index, item] of items.entries())
      readDocument(item, `${where}, item ${index + 1}`, options, names, reading);
    return;
  }
  if (kind !== 'CronJob') return;
  try {
    readCronJob(value, where, options, names, reading);
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    reading.problems.push({ where, problem: error.message });
  }
}

/** The value of a document; an error for an undefined alias, or for too many aliases. */
function plain(document: { toJS(options: { maxAliasCount: number }): unknown }): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    return error;
  }
}
