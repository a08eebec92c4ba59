import {
  condition,
  defineQuery,
  defineSignal,
  getCurrentDetails,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { PARK_SIGNAL, PARKED_QUERY, type ParkDecision, type ParkedStep } from '../core/park';

const parkSignal = defineSignal<[ParkDecision]>(PARK_SIGNAL);
const parkedQuery = defineQuery<ParkedStep[]>(PARKED_QUERY);

interface Entry {
  step: ParkedStep;
  letterId?: string;
  decision?: ParkDecision['decision'];
}

/** The steps of one run that are parked, shown in the workflow's details and by a query, and decided by a signal. */
export class ParkingLot {
  readonly #entries = new Set<Entry>();
  #burials = 0;
  #detailsBefore: string | undefined;

  /** Before the step is buried: whoever reads of it may decide at once. */
  enter(failed: Omit<ParkedStep, 'burial'>) {
    this.#burials += 1;
    // Only now: a handler that is there from the start would change what unknown signals and queries do.
    if (this.#burials === 1) this.#listen();
    const entry: Entry = { step: { ...failed, burial: this.#burials } };
    this.#entries.add(entry);
    return {
      step: entry.step,
      /** Waits without a timer, until it is decided or the scope is cancelled. */
      decision: async (letterId: string): Promise<ParkDecision['decision']> => {
        entry.letterId = letterId;
        this.#show();
        await condition(() => entry.decision !== undefined);
        return entry.decision!;
      },
      leave: () => {
        this.#entries.delete(entry);
        this.#show();
      },
    };
  }

  #listen(): void {
    setHandler(parkSignal, ({ decision, burial = Number.POSITIVE_INFINITY }) => {
      if (decision !== 'redrive' && decision !== 'discard') return;
      for (const entry of this.#entries) if (entry.step.burial <= burial) entry.decision ??= decision;
    });
    setHandler(parkedQuery, () => [...this.#entries].map(({ step }) => step));
  }

  #show(): void {
    const parked = [...this.#entries].filter(({ letterId }) => letterId !== undefined);
    if (parked.length > 0) {
      this.#detailsBefore ??= getCurrentDetails();
      setCurrentDetails(parked.map(describe).join('\n\n'));
    } else if (this.#detailsBefore !== undefined) {
      setCurrentDetails(this.#detailsBefore);
      this.#detailsBefore = undefined;
    }
  }
}

function describe({ step, letterId }: Entry): string {
  const { type, message } = step.failure;
  return `Parked at \`${step.activityType}\` (${type}: ${message}). Redrive or discard dead letter ${letterId}.`;
}
