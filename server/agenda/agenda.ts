import { specInWords } from '../../core/occurrences/describe';
import { readForms } from '../../store/reads/forms';
import type { ServerContext } from '../context';
import { remember } from '../remember';
import { countAgenda } from './count';

/** What of the time to come is asked for. */
export interface AgendaQuestion {
  /** ISO 8601. */
  from: string;
  to: string;
  tenant: string | undefined;
  text: string | undefined;
  namespace: string | undefined;
  taskQueue: string | undefined;
}

const FORMS_AT_MOST = 100;
const NAMED_AT_MOST = 50;

/** What will fire in a stretch, by minutes, by forms of schedules, and one by one as far as there is room. */
export const agendaOf = remember(20_000, async ({ store }: ServerContext, question: AgendaQuestion) => {
  const [from, to] = [new Date(question.from), new Date(question.to)];
  const { tenant, text, namespace, taskQueue } = question;
  const forms = await readForms(store, { until: to, tenant, text, namespace, taskQueue, named: NAMED_AT_MOST });
  const { forms: counted, minutes, ...agenda } = await countAgenda(forms, { from, to });
  return {
    ...agenda,
    minutes: minutes.map(Math.round),
    forms: counted.slice(0, FORMS_AT_MOST).map(({ form, ...times }) => ({
      ...times,
      words: wordsOf(form.spec, form.scheduleIds[0]),
      schedules: form.schedules,
      jittered: form.jittered,
      scheduleIds: form.scheduleIds.slice(0, NAMED_AT_MOST),
    })),
  };
});

export function wordsOf(spec: Parameters<typeof specInWords>[0], scheduleId: string | undefined): string[] {
  try {
    return specInWords(spec, scheduleId);
  } catch (error) {
    return [(error as Error).message];
  }
}
