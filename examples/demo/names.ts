import { randomBytes } from 'node:crypto';

/** Names that belong to one run of the demo, so that two runs can share a Postgres and a Temporal server. */
export interface Names {
  /** Postgres schema of Escapement's ledger. */
  ledger: string;
  /** Postgres schema of the invoices. */
  shop: string;
  taskQueue: string;
  /** Every workflow ID of this run begins with it. */
  workflowIdPrefix: string;
}

export function newNames(): Names {
  const run = randomBytes(3).toString('hex');
  return {
    ledger: `escapement_demo_${run}`,
    shop: `escapement_demo_${run}_shop`,
    taskQueue: `demo-${run}`,
    workflowIdPrefix: `demo-${run}-`,
  };
}
