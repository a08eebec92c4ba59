import { expect, it } from 'vitest';
import { ALERT_CONDITIONS, severityOf } from '../../../core/alert-defaults';
import { findingsOfTenant } from '../../../server/overview/verdict';
import type { Alert } from '../../../store/alerts/read-alerts';

it.each(ALERT_CONDITIONS)('a tenant sees its alert %s as urgent as it is sent', (condition) => {
  const alert = { condition, text: 'text' } as Alert;
  expect(findingsOfTenant([alert], true)).toMatchObject([{ id: condition, severity: severityOf(condition) }]);
});
