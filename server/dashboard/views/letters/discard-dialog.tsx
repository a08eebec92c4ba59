import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import { countDiscarded, discardAll, discardOne, type LetterFilter } from '../../api/letters';
import { Dialog } from '../../parts/dialog';
import { TextField } from '../../parts/field';
import { say } from '../../parts/toast';

export function DiscardDialog({
  filter,
  letterId,
  onClose,
}: {
  filter: LetterFilter;
  letterId?: string;
  onClose: () => void;
}) {
  const [note, setNote] = useState('');
  const [total, setTotal] = useState(letterId === undefined ? undefined : 1);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (letterId !== undefined) return;
    countDiscarded(filter).then(
      (answer) => setTotal(answer.total),
      (error: Error) => setProblem(error.message),
    );
  }, []);
  const confirm = async () => {
    if (letterId !== undefined) {
      await discardOne(letterId, note);
      say('The letter is discarded.');
      return;
    }
    const { discarded } = await discardAll(filter, note);
    say(`${counted(discarded, 'letter')} discarded.`);
  };
  return (
    <Dialog
      title={letterId === undefined ? 'Discard all that match?' : 'Discard this letter?'}
      action={letterId === undefined && total !== undefined ? `Discard ${counted(total, 'letter')}` : 'Discard'}
      danger
      disabled={!total || note.trim() === ''}
      onClose={onClose}
      onConfirm={confirm}
    >
      {letterId === undefined ? (
        <div aria-live="polite" role="status">
          {problem ? <p class="problem">{problem}</p> : null}
          {total === undefined ? (
            problem ? null : (
              <p class="quiet">Counting …</p>
            )
          ) : (
            <p>
              <strong>{counted(total, 'letter matches', 'letters match')}</strong>.
            </p>
          )}
        </div>
      ) : null}
      <p>Nothing is tried again. A parked step fails. The reason stays with each letter.</p>
      <TextField label="Why" required value={note} onChange={setNote} />
    </Dialog>
  );
}
