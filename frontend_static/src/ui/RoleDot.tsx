/** A dot in the role's colour. The colour is empty until the server has confirmed a new binding. */
export function RoleDot({ color }: { color: string }) {
  return (
    <svg className="role-mark" viewBox="0 0 10 10" aria-hidden>
      <circle cx="5" cy="5" r="4.5" fill={color || "currentcolor"} />
    </svg>
  );
}
