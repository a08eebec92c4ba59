import type { Logger } from '@temporalio/common';
import { Complaint } from '../logging/complaint';
import type { TemporalCallError } from '../temporal/port';
import type { TemporalListener } from '../temporal/temporal';

export class AwayLog implements Omit<TemporalListener, 'onCall'> {
  readonly #complaints = new Map<string, { message: string; complaint: Complaint }>();

  constructor(private readonly logger: Logger) {}

  onAway(namespace: string, error: TemporalCallError): void {
    const message =
      error.kind === 'refused'
        ? 'Temporal refuses the namespace: due firings wait'
        : 'Temporal does not answer: due firings wait';
    const known = this.#complaints.get(namespace);
    const complaint =
      known?.message === message
        ? known.complaint
        : new Complaint(this.logger, { failing: message, over: 'Temporal answers again' }, { namespace });
    this.#complaints.set(namespace, { message, complaint });
    complaint.failed(error.message);
  }

  onBack(namespace: string): void {
    this.#complaints.get(namespace)?.complaint.over();
    this.#complaints.delete(namespace);
  }

  onForgotten(namespace: string): void {
    this.#complaints.delete(namespace);
  }
}
