//! S-expressions, flat: nodes in a vector, parts by index. Nothing is complained about: what is no list is left out.

/// A text as lists of lists.
#[derive(Debug, Default)]
pub(super) struct Tree<'t> {
    nodes: Vec<Node<'t>>,
}

/// A word, or a list of what stands between parentheses.
#[derive(Debug)]
pub(super) enum Node<'t> {
    Word(&'t str),
    List(Vec<usize>),
}

impl<'t> Tree<'t> {
    /// Reads a text. Parts stand before wholes. Linear.
    pub fn read(mut text: &'t str) -> Tree<'t> {
        let (mut tree, mut open) = (Tree::default(), vec![Vec::new()]);
        loop {
            text = text.trim_start();
            let Some(first) = text.chars().next() else { return tree };
            let length = match first {
                '(' | ')' => 1,
                ';' => text.find('\n').unwrap_or(text.len()),
                '|' | '"' => text[1..].find(first).map_or(text.len(), |end| end + 2),
                _ => text.find(|c: char| c.is_whitespace() || "();".contains(c)).unwrap_or(text.len()),
            };
            let (word, rest) = text.split_at(length);
            text = rest;
            let node = match first {
                ';' => continue,
                '(' => {
                    open.push(Vec::new());
                    continue;
                }
                ')' => Node::List(open.pop().unwrap_or_default()),
                _ => Node::Word(word),
            };
            tree.nodes.push(node);
            if let Some(parts) = open.last_mut() {
                parts.push(tree.nodes.len() - 1);
            }
        }
    }

    pub fn node(&self, node: usize) -> &Node<'t> {
        &self.nodes[node]
    }

    /// All lists.
    pub fn lists(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(|&node| matches!(self.nodes[node], Node::List(_)))
    }

    /// The parts of a list; a word has none.
    pub fn parts(&self, node: usize) -> &[usize] {
        match &self.nodes[node] {
            Node::Word(_) => &[],
            Node::List(parts) => parts,
        }
    }

    pub fn word(&self, node: usize) -> Option<&'t str> {
        match self.nodes[node] {
            Node::Word(word) => Some(word),
            Node::List(_) => None,
        }
    }
}
