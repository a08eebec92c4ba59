import { expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { playFault, Scene } from '../../support/scenes/planted-fault';
import { useWorker } from '../../support/temporal';
import { OF_FIRINGS } from './of-firings';
import { OF_POSTGRES } from './of-postgres';
import { OF_TEMPORAL } from './of-temporal';

const ledger = useLedger('2026-03-01T00:59:00Z');
const worker = useWorker();
const FAULTS = [...OF_FIRINGS, ...OF_TEMPORAL, ...OF_POSTGRES];

it('are fourteen', () => expect(new Set(FAULTS.map(({ fault }) => fault)).size).toBe(14));

it.each(FAULTS)(
  '$fault: doctor names it as $finding; the alert $condition is opened, delivered once and resolved',
  (fault) => playFault(new Scene(ledger(), worker()), fault),
);
