import { readNamed } from '../../store/reads/specs-in-use';
import type { ServerContext } from '../context';
import { countAgenda } from './count';

export interface AgendaQuestion {
  from: Date;
  to: Date;
  tenant: string | undefined;
  text: string | undefined;
  namespace: string | undefined;
  taskQueue: string | undefined;
}

const FORMS_AT_MOST = 100;
const NAMED_AT_MOST = 50;

export async function agendaOf({ store, specs }: ServerContext, question: AgendaQuestion) {
  const { from, to, tenant, text, namespace, taskQueue } = question;
  const isOfSome = text !== undefined || namespace !== undefined || taskQueue !== undefined;
  const [named] = await Promise.all([
    isOfSome ? readNamed(store, { tenant, text, namespace, taskQueue }) : undefined,
    specs.current(),
  ]);
  const { forms, ...agenda } = await countAgenda(specs.forms({ tenant, named }), { from, to });
  return {
    ...agenda,
    forms: forms.slice(0, FORMS_AT_MOST).map(({ form, ...times }) => {
      const scheduleIds = [...form.schedules].filter((one) => form.fires(one, times.last.getTime()));
      return {
        ...times,
        words: form.words,
        schedules: scheduleIds.length,
        jittered: scheduleIds.filter((one) => form.jittered.has(one)).length,
        scheduleIds: scheduleIds.slice(0, NAMED_AT_MOST).sort(),
      };
    }),
  };
}
