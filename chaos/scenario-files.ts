import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SCENARIOS = join(__dirname, 'scenarios');

/**
 * The files of the scenarios. Each is a small plan for `--replay`. Its name says which promise its faults once broke.
 */
export function scenarioFiles(): string[] {
  return readdirSync(SCENARIOS)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(SCENARIOS, name));
}
