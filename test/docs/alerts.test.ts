import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ALERT_CONDITIONS, severityOf } from '../../core/alert-defaults';

it('docs/alerts.md has each condition with its severity', () => {
  const page = readFileSync(join(__dirname, '../../docs/alerts.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (critical|warning) \|/gm)].map(([, condition, severity]) => [
    condition,
    severity,
  ]);
  expect(rows.sort()).toEqual(ALERT_CONDITIONS.map((condition) => [condition, severityOf(condition)]).sort());
});
