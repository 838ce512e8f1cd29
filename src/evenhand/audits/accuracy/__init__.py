"""How accurate is moderation: what is removed, what is missed? (Wei, Zufall and Jia 2023; section 5)"""
