import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SCENARIOS = join(__dirname, 'scenarios');

/** The file of each scenario, a small plan for `--replay` that is named after the promise that its faults once broke. */
export function scenarioFiles(): string[] {
  return readdirSync(SCENARIOS)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(SCENARIOS, name));
}
