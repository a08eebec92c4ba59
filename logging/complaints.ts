import type { Logger } from '@temporalio/common';
import { Complaint } from './complaint';

/** A {@link Complaint} for each subject. */
export class Complaints {
  readonly #complaints = new Map<string, Complaint>();

  constructor(
    private readonly logger: Logger,
    private readonly message: { failing: string; over: string },
  ) {}

  /** @param about the subject: its values are part of each log line */
  failed(about: Record<string, string>, text: string, meta: Record<string, unknown> = {}): void {
    const name = nameOf(about);
    const complaint = this.#complaints.get(name) ?? new Complaint(this.logger, this.message, about);
    this.#complaints.set(name, complaint);
    complaint.failed(text, meta);
  }

  /** The subjects that still fail, as far as this process knows. */
  open(): Record<string, string>[] {
    return [...this.#complaints.keys()].map((name) => Object.fromEntries(JSON.parse(name)));
  }

  over(about: Record<string, string>): void {
    if (this.#complaints.size === 0) return;
    const name = nameOf(about);
    this.#complaints.get(name)?.over();
    this.#complaints.delete(name);
  }
}

function nameOf(about: Record<string, string>): string {
  return JSON.stringify(Object.entries(about));
}
