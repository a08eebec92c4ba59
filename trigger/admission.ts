import type { TriggerContext } from './context';
import type { QueuedClaim } from './queued-claim';

/** Which claims one batch of starts takes: none whose server is too busy or whose cap on starts a second is reached. */
export class Admission {
  /** @param away namespaces that are not called: theirs are taken to be put off, which uses up no cap */
  constructor(
    private readonly context: Pick<TriggerContext, 'gates' | 'caps'>,
    private readonly away: ReadonlySet<string>,
  ) {}

  admits(claim: QueuedClaim): boolean {
    const { gates, caps } = this.context;
    if (this.away.has(claim.namespace)) return true;
    return gates.of(claim.namespace).pause === 0 && caps.admit(claim);
  }
}
