import { useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import { discardAll, discardOne, type LetterFilter } from '../../api/letters';
import { Dialog } from '../../parts/dialog';
import { TextField } from '../../parts/field';
import { say } from '../../parts/toast';

/** The dialog that discards letters, with a reason. */
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
      action="Discard"
      danger
      disabled={note.trim() === ''}
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>Nothing is tried again. A parked step fails. The reason stays with each letter.</p>
      <TextField label="Why" required value={note} onChange={setNote} />
    </Dialog>
  );
}
